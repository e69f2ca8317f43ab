/** Files of pets for the command. A page imports `@petstore/pet-files/page`. */
export { csvParser, encodeCsvRecord } from "./csv.js"
export { describedBy, type FileDescription } from "./description.js"
export { isSameColumn, type Layout } from "./layout.js"
export { decodeMembers, decodeStatuses, optionsOf, quoted } from "./options.js"
export {
  type CategoryNames,
  categoryNamesOf,
  type Members,
  newPetRows,
  noWords,
  type PetUpdate,
  petFileEncoders,
  proposeWords,
  updateRows,
  type Words,
  wordOf,
  wordsOfRows,
} from "./pet-rows.js"
export { FileRefused, shown, visible } from "./refused.js"
export type { Decode, Decoded, Row, RowDecoder, Source } from "./row.js"
export { type FileFormat, fileFormats, rowReader } from "./rows.js"
export { isEncoding } from "./text.js"
