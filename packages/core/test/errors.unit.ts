/** Every failure says what happened: whoever catches one without knowing its type shows its `message`. */
import { expect, it } from "vitest"
import * as errors from "../src/errors.js"

const failures = [
  new errors.CredentialRejected({ reason: "unknown" }),
  new errors.PetNotFound({ petId: 7n }),
  new errors.StorageUnavailable({ cause: undefined }),
  new errors.PetNotAvailable({ petId: 7n }),
  new errors.OrderNotFound({ orderId: 7n }),
  new errors.OrderClosed({ orderId: 7n, status: "completed" }),
  new errors.IdempotencyKeyReused({ key: "a-1" }),
  new errors.AccountNameTaken({ name: "shop" }),
  new errors.AccountNotFound({ name: "shop" }),
  new errors.StoreOfAnotherDeployment({ kept: "staging", ours: "production" }),
  new errors.ApiKeyInactive({ keyId: "key_1" }),
  new errors.ApiKeyChanged({ keyId: "key_1" }),
  new errors.ApiKeyNotFound({ keyId: "key_1" }),
]

it.each(failures)("$_tag says what happened, in a sentence", ({ message }) => {
  expect(message).toMatch(/^[A-Z].*\.$/)
})

it("none is left out", () => {
  expect(failures.map(({ _tag }) => _tag).sort()).toStrictEqual(Object.keys(errors).sort())
})
