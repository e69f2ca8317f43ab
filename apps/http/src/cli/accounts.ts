import { type Account, CredentialRepository, createAccount, disableAccount, enableAccount } from "@petstore/core"
import { Effect } from "effect"
import { columns, type OutputOptions, print } from "./output.js"
import type { OpenStore } from "./store.js"
import { tellSystemLog } from "./system-log.js"

const shown = ({ id, name, createdAt, disabledAt }: Account) => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
  disabledAt: disabledAt?.toISOString() ?? null,
})

export const accountNames = Effect.flatMap(CredentialRepository, ({ listAccounts }) =>
  Effect.map(listAccounts, (accounts) => new Map(accounts.map(({ id, name }) => [id, name]))),
)

export const accountsCreate = (open: OpenStore, name: string, options: OutputOptions) =>
  open(function* () {
    const account = shown(yield* createAccount(name))
    tellSystemLog("account created", { accountId: account.id, name })
    print(options, account, `Account ${account.id} created for ${JSON.stringify(account.name)}.`)
  })

export const accountsDisable = (open: OpenStore, name: string, options: OutputOptions) =>
  open(function* () {
    const account = shown(yield* disableAccount(name))
    tellSystemLog("account disabled", { accountId: account.id, name })
    const says = `Account ${JSON.stringify(name)} is disabled since ${account.disabledAt}.`
    print(options, account, `${says} Running processes will refuse its keys within 5 seconds.`)
  })

export const accountsEnable = (open: OpenStore, name: string, options: OutputOptions) =>
  open(function* () {
    const account = shown(yield* enableAccount(name))
    tellSystemLog("account enabled", { accountId: account.id, name })
    print(options, account, `Account ${JSON.stringify(name)} is enabled: its keys are accepted again, unless they are revoked.`)
  })

export const accountsList = (open: OpenStore, options: OutputOptions) =>
  open(function* () {
    const accounts = (yield* (yield* CredentialRepository).listAccounts).map(shown)
    const rows = accounts.map(({ id, name, createdAt, disabledAt }) => [id, createdAt, disabledAt ?? "-", name])
    print(options, accounts, columns(["ID", "CREATED", "DISABLED", "NAME"], rows))
  })
