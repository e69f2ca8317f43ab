/** Returns all elements that match a selector. */
export const all = (selector: string, within: ParentNode = document): ReadonlyArray<HTMLElement> => [
  ...within.querySelectorAll<HTMLElement>(selector),
]

/** Returns all elements of a class that match a selector. */
export const allOf = <E extends HTMLElement>(selector: string, kind: new () => E): ReadonlyArray<E> =>
  all(selector).filter((element): element is E => element instanceof kind)

/** Returns the first element that matches a selector. Throws if it does not exist or is not of this class. */
export const one = <E extends HTMLElement>(selector: string, kind: new () => E, within: ParentNode = document): E => {
  const element = within.querySelector(selector)
  if (!(element instanceof kind)) throw new Error(`the page has no ${selector}`)
  return element
}

export const make = (
  name: string,
  className: string,
  content: string | ReadonlyArray<string | HTMLElement>,
  attributes: Readonly<Record<string, string>> = {},
): HTMLElement => {
  const element = document.createElement(name)
  element.className = className
  element.append(...[content].flat())
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  return element
}
