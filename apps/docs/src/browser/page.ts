/** Starts everything on the docs page that needs scripts. */

import { all } from "@petstore/pages/elements"
import { enableThemeToggle } from "@petstore/pages/theme-toggle"
import { enableApiKey } from "./api-key.ts"
import { enableMenu, markSection } from "./contents.ts"
import { enableCopying } from "./copy.ts"
import { enableFolding } from "./fold.ts"
import { baseAddress } from "./request.ts"
import { enableSamples } from "./samples.ts"
import { enableSearch } from "./search.ts"
import { enableTabs } from "./tabs.ts"
import { enableTryIt } from "./try-it.ts"

for (const element of all("[data-base]")) element.textContent = baseAddress
enableTabs()
enableThemeToggle()
enableMenu()
markSection()
enableApiKey()
enableTryIt()
enableCopying()
enableSamples()
enableFolding()
enableSearch()
