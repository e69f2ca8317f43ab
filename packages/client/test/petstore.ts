/** The real service with keys of its own. */
import { createKey, type Environment, petstore, TemporaryStore } from "@petstore/harness/command"
import { startService } from "@petstore/harness/serving"

type Deployment = "production" | "staging" | "development"

/** A running service. Disposing of it stops the process and deletes the store. */
export interface Petstore extends AsyncDisposable {
  readonly baseUrl: string
  /** A key of the service's own deployment. */
  readonly apiKey: string
  readonly createKey: (args?: ReadonlyArray<string>, deployment?: Deployment) => ReturnType<typeof createKey>
}

/** Starts the service on a free port of loopback. `settings` are added to its environment. */
export const startPetstore = async (deployment: Deployment = "production", settings: Environment = {}): Promise<Petstore> => {
  const store = new TemporaryStore()
  const environmentOf = (of: Deployment): Environment => ({
    ...store.environment,
    DATABASE_URL: `sqlite:${store.directory}/${of}.db`,
    PETSTORE_ENV: of,
    ...settings,
  })
  const environment = environmentOf(deployment)
  await petstore(environment, "accounts", "create", "team")
  const { key: apiKey } = await createKey(environment, "team")
  const service = await startService(environment)

  return {
    baseUrl: service.baseUrl,
    apiKey,
    createKey: async (args = [], of = deployment) => {
      // A store belongs to one deployment: a key of another is made in another store.
      if (of !== deployment) await petstore(environmentOf(of), "accounts", "create", "team")
      return createKey(environmentOf(of), "team", ...args)
    },
    [Symbol.asyncDispose]: async () => {
      await service.stop()
      store.remove()
    },
  }
}
