/** What the words of shelters and shops mean for the status of a pet. */
import { type PetStatus, petStatuses } from "@petstore/core"

/** Words that have one meaning in shelters and shops. Not among them are transfers, returns to an owner and deaths, which sell nothing. */
const knownStatuses: Readonly<Record<PetStatus, RegExp>> = {
  available:
    /^(avail\.?|adoptable|for sale|on sale|in ?stock|active|ready|open|disponible|dostępn\w*|verfügbar|zu vermitteln|do adopcji|en adopci[oó]n|for adoption)$/i,
  pending: /^(on hold|hold|held|(reserved|reserviert|reservad[oa]|zarezerwowan\w*)( .*)?|in process|adoption pending)$/i,
  sold: /^(adopted( .*)?|adoption|adoptad[oa]|adoptowan\w*|vermittelt|rehomed|sold ?out|out ?of ?stock|vendid[oa]|sprzedan\w*|verkauft)$/i,
}

const knownStatus = (word: string): PetStatus | undefined =>
  petStatuses.find((status) => status === word.toLowerCase() || knownStatuses[status].test(word.replaceAll(/[-_ ]+/g, " ")))

/** The status that a word probably means: the last part of `Foster - Available` that is known, or of the whole. */
export const guessedStatus = (word: string): PetStatus | undefined =>
  knownStatus(word) ??
  word
    .split(/(?<=\s)[-–—:](?=\s)|[/,;()]/)
    .map((part) => knownStatus(part.trim()))
    .findLast((status) => status !== undefined)
