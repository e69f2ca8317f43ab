/** The service's HTML pages: their headers and placeholders. */
import type { Config } from "../../config.js"
import type { Handler } from "../exchange.js"
import { fixedResponse } from "./fixed-response.js"

/** Allows only resources from this origin and images in data URLs, no inline scripts or styles, and no frame around the page. */
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

/** How long a browser must use TLS (RFC 6797), in seconds: two years. */
const alwaysTls = ["Strict-Transport-Security", "max-age=63072000"]

export const htmlPage = (page: string, { tlsInFront }: Pick<Config, "tlsInFront">): Handler =>
  fixedResponse("text/html; charset=utf-8", page, [
    "Content-Security-Policy",
    contentSecurityPolicy,
    "Referrer-Policy",
    "no-referrer",
    "Cross-Origin-Opener-Policy",
    "same-origin",
    ...(tlsInFront ? alwaysTls : []),
  ])

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** Fills in a page's `{{name}}` placeholders. */
export const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (place, name: string) =>
    (values[name] ?? place).replace(/[&<>"]/g, (character) => entities[character] ?? ""),
  )
