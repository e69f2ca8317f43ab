/** What a caught value says: an error's message, or any other value as text. */
export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
