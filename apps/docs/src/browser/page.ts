/** Starts everything on the docs page that needs scripts. */
import { enableApiKey } from "./api-key.ts"
import { showBaseAddress } from "./base-address.ts"
import { enableContents } from "./contents.ts"
import { enableCopying } from "./copy.ts"
import { enableFolding } from "./fold.ts"
import { enableSamples } from "./samples.ts"
import { enableSearch } from "./search.ts"
import { enableTabs } from "./tabs.ts"
import { enableThemeToggle } from "./theme-toggle.ts"
import { enableTryIt } from "./try-it.ts"

showBaseAddress()
enableTabs()
enableCopying()
enableThemeToggle()
enableContents()
enableApiKey()
enableTryIt()
enableSamples()
enableFolding()
enableSearch()
