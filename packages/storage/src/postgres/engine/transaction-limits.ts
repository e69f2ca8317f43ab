import * as Effect from "effect/Effect"

/**
 * In an open transaction, on every node, limits how long each statement may wait for a lock and take in total, in ms. By default,
 * the wait is shorter than the timeout of the statements that queue behind it. Without Citus, the Citus setting has no effect.
 */
export const limitTransaction = <E>(
  run: (text: string) => Effect.Effect<unknown, E>,
  { lockMillis = 500, statementMillis }: { readonly lockMillis?: number; readonly statementMillis?: number } = {},
): Effect.Effect<void, E> =>
  Effect.forEach(
    [
      "SET LOCAL citus.propagate_set_commands = 'local'",
      `SET LOCAL lock_timeout = ${lockMillis}`,
      ...(statementMillis === undefined ? [] : [`SET LOCAL statement_timeout = ${statementMillis}`]),
    ],
    (text) => run(text),
    { discard: true },
  )
