/** Starts the real service with its own keys. */
import { createKey, type Environment, petstore, TemporaryStore } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"

/** The account that owns all keys. A development service creates the account with its first key. */
const account = "development"

type Deployment = "production" | "staging" | "development"

/** A running service. Disposal stops the process and deletes the store. */
export interface Petstore extends AsyncDisposable {
  readonly baseUrl: string
  /** A key for the service's own deployment. */
  readonly apiKey: string
  readonly createKey: (args?: ReadonlyArray<string>, deployment?: Deployment) => ReturnType<typeof createKey>
}

/** Starts the service on a free loopback port. `settings` are added to its environment. */
export const startPetstore = async (deployment: Deployment = "development", settings: Environment = {}): Promise<Petstore> => {
  const store = new TemporaryStore()
  const environmentOf = (of: Deployment): Environment => ({
    ...store.environment,
    DATABASE_URL: `sqlite:${store.directory}/${of}.db`,
    PETSTORE_ENV: of,
    ...settings,
  })
  const environment = environmentOf(deployment)
  const makeKey = async () => {
    await petstore(environment, "accounts", "create", account)
    return (await createKey(environment, account)).key
  }
  const made = deployment === "development" ? undefined : await makeKey()
  const service = await startService(environment)

  return {
    baseUrl: service.baseUrl,
    apiKey: made ?? service.key,
    createKey: async (args = [], of = deployment) => {
      // A store belongs to one deployment, so a key for another deployment needs another store.
      if (of !== deployment) await petstore(environmentOf(of), "accounts", "create", account)
      return createKey(environmentOf(of), account, ...args)
    },
    [Symbol.asyncDispose]: async () => {
      await service.stop()
      store.remove()
    },
  }
}
