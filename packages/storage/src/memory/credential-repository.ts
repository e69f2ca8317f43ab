/** The maps preserve insertion order, which determines the order of items with the same creation time. */
import { type Account, AccountNameTaken, type ApiKey, CredentialRepository } from "@petstore/core"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const memoryCredentialRepository = () => {
  const accountsByName = new Map<string, Account>()
  const keysByHash = new Map<string, ApiKey>()
  const replaced = new Set<string>()

  const replace = (id: string, change: (key: ApiKey) => ApiKey): Option.Option<ApiKey> =>
    Option.map(
      Arrays.findFirst(keysByHash, ([, key]) => key.id === id),
      ([hash, key]) => {
        const changed = change(key)
        keysByHash.set(hash, changed)
        return changed
      },
    )

  const changeAccount = (name: string, disabledAt: (account: Account) => Date | undefined): Option.Option<Account> =>
    Option.map(Option.fromNullable(accountsByName.get(name)), (account) => {
      const { disabledAt: _, ...enabled } = account
      const at = disabledAt(account)
      const changed = at === undefined ? enabled : { ...enabled, disabledAt: at }
      accountsByName.set(name, changed)
      return changed
    })

  const isEnabled = ({ accountId }: ApiKey): boolean =>
    !accountsByName.values().some(({ id, disabledAt }) => id === accountId && disabledAt !== undefined)

  return CredentialRepository.of({
    insertAccount: (account) =>
      Effect.suspend(() => {
        if (accountsByName.has(account.name)) return new AccountNameTaken({ name: account.name })
        accountsByName.set(account.name, account)
        return Effect.void
      }),

    findAccount: (name) => Effect.sync(() => Option.fromNullable(accountsByName.get(name))),

    disableAccount: (name, at) => Effect.sync(() => changeAccount(name, ({ disabledAt }) => disabledAt ?? at)),

    enableAccount: (name) => Effect.sync(() => changeAccount(name, () => undefined)),

    listAccounts: Effect.sync(() => [...accountsByName.values()].sort(oldestFirst)),

    insertApiKey: (key, hash) => Effect.sync(() => void keysByHash.set(hash, key)),

    findApiKey: (hash) => Effect.sync(() => Option.filter(Option.fromNullable(keysByHash.get(hash)), isEnabled)),

    listApiKeys: Effect.sync(() => [...keysByHash.values()].sort(oldestFirst)),

    revokeApiKey: (id, revokedAt) =>
      Effect.sync(() =>
        replace(id, (key) => ({ ...key, revokedAt: Option.orElse(key.revokedAt, () => Option.some(revokedAt)) })),
      ),

    replaceApiKey: (former, expiresAt, key, hash) =>
      Effect.sync(() => {
        const known = [...keysByHash.values()].find(({ id }) => id === former)
        if (known === undefined || Option.isSome(known.revokedAt) || replaced.has(former)) return Option.none()
        replaced.add(former)
        keysByHash.set(hash, key)
        return replace(former, (one) => ({ ...one, expiresAt: Option.some(expiresAt) }))
      }),

    recordApiKeyUse: (id, day) =>
      Effect.sync(
        () =>
          void replace(id, (key) =>
            Option.exists(key.lastUsedOn, (known) => known >= day) ? key : { ...key, lastUsedOn: Option.some(day) },
          ),
      ),
  })
}

const oldestFirst = (one: { readonly createdAt: Date }, other: { readonly createdAt: Date }): number =>
  one.createdAt.getTime() - other.createdAt.getTime()
