/** Links of a README, which is read where its package is installed. */

/** Links of a README that are neither URLs nor its own headings: they are broken where the package is installed. */
export const linksOut = (readme: string): ReadonlyArray<string> =>
  [...readme.matchAll(/\]\(([^)\s]+)/g)].map(([, target = ""]) => target).filter((target) => !/^(?:https?:\/\/|#)/.test(target))
