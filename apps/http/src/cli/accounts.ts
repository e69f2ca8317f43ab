import { type Account, CredentialRepository, createAccount } from "@petstore/core"
import { Effect } from "effect"
import { columns, type OutputOptions, print } from "./output.js"
import type { OpenStore } from "./store.js"
import { tellSystemLog } from "./system-log.js"

const shown = ({ id, name, createdAt }: Account) => ({ id, name, createdAt: createdAt.toISOString() })

export const accountNames = Effect.flatMap(CredentialRepository, ({ listAccounts }) =>
  Effect.map(listAccounts, (accounts) => new Map(accounts.map(({ id, name }) => [id, name]))),
)

export const accountsCreate = (open: OpenStore, name: string, options: OutputOptions) =>
  open(function* () {
    const account = shown(yield* createAccount(name))
    tellSystemLog("account created", { accountId: account.id, name })
    print(options, account, `Account ${account.id} created for ${JSON.stringify(account.name)}.`)
  })

export const accountsList = (open: OpenStore, options: OutputOptions) =>
  open(function* () {
    const accounts = (yield* (yield* CredentialRepository).listAccounts).map(shown)
    const rows = accounts.map(({ id, name, createdAt }) => [id, createdAt, name])
    print(options, accounts, columns(["ID", "CREATED", "NAME"], rows))
  })
