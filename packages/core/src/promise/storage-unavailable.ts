import { StorageUnavailable } from "../errors.js"

/**
 * Makes the error with which a repository's function rejects if its database is unavailable. Callers get `storage_unavailable`
 * with this `cause`. Any other error is a defect: the call rejects with it.
 *
 * @param cause  the database's own error, for the log
 */
export const storageUnavailable = (cause: unknown): Error => new StorageUnavailable({ cause })
