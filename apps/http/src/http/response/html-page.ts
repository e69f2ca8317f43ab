/** What the pages of the service have in common: their headers, and the places that they leave open. */
import type { Config } from "../../config.js"
import type { HeaderList } from "../exchange.js"

/** Nothing but what this origin serves, no script or style inside the page, and no frame around it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ")

/** A browser that came through TLS never comes in clear text again (RFC 6797), for so many seconds: two years. */
const alwaysTls = ["Strict-Transport-Security", "max-age=63072000"]

export const pageHeaders = ({ tlsInFront }: Pick<Config, "tlsInFront">): HeaderList => [
  "Content-Security-Policy",
  contentSecurityPolicy,
  "Referrer-Policy",
  "no-referrer",
  "Cross-Origin-Opener-Policy",
  "same-origin",
  ...(tlsInFront ? alwaysTls : []),
]

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Puts values into the places that the page leaves open: `{{name}}`. */
export const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (place, name: string) =>
    (values[name] ?? place).replace(/[&<>"]/g, (character) => entities[character] ?? ""),
  )
