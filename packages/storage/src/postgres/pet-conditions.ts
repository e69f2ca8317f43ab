/** Conditions of statements that change a pet as it was read: `$1` to `$4`. */
export const isSeen = "id = $1 AND name = $2 AND category_id = $3 AND status IS NOT DISTINCT FROM $4"

const isPending = (status: string): string => `${status} IS NOT DISTINCT FROM 'pending'`

/** SQL condition that a placed order reserves the pet. */
export const isReserved = `(${isPending("status")} AND reserved)`

/** SQL condition that a change, whose new status is `$7`, does not free a reserved pet. */
export const staysReserved = `NOT (${isReserved} AND NOT ${isPending("$7::text")})`
