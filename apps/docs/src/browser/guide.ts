/** Starts everything on a guide's page that needs scripts. */
import { all } from "@petstore/pages/elements"
import { enableThemeToggle } from "@petstore/pages/theme-toggle"
import { enableMenu } from "./contents.ts"
import { enableCopying } from "./copy.ts"

for (const element of all("[data-base]")) element.textContent = new URL("../v1", location.href).href
enableCopying()
enableThemeToggle()
enableMenu()
