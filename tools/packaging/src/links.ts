/** Links of a README, which is read where its package is installed. */

/** Where a README leads that is neither an address nor a heading of its own: there is nothing where the package is installed. */
export const linksOut = (readme: string): ReadonlyArray<string> =>
  [...readme.matchAll(/\]\(([^)\s]+)/g)].map(([, target = ""]) => target).filter((target) => !/^(?:https?:\/\/|#)/.test(target))
