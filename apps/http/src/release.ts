/** Which release this program is. */
import packageFile from "../package.json" with { type: "json" }

/** The version of the release (SemVer 2.0). */
export const { version } = packageFile
