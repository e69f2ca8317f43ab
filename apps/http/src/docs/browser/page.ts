/** What scripts add to the docs page. */
import { enableApiKey } from "./api-key.js"
import { showBaseAddress } from "./base-address.js"
import { enableContents } from "./contents.js"
import { enableCopying } from "./copy.js"
import { enableTabs } from "./tabs.js"
import { enableThemeToggle } from "./theme-toggle.js"
import { enableTryIt } from "./try-it.js"

showBaseAddress()
enableTabs()
enableCopying()
enableThemeToggle()
enableContents()
enableApiKey()
enableTryIt()
