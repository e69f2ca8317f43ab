/** Links in a README that point neither to URLs nor to its own headings. They are broken where the package is installed. */
export const linksOut = (readme: string): ReadonlyArray<string> =>
  [...readme.matchAll(/\]\(([^)\s]+)/g)].map(([, target = ""]) => target).filter((target) => !/^(?:https?:\/\/|#)/.test(target))
