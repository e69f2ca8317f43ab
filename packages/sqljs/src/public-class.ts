/** Makes this package's classes look like Node's, which are written in C++. */
import { countCalls } from "./calls.js"
import { constructCallRequired, illegalConstructor } from "./errors.js"

/** A class's public members. Without the private members, any object of this shape has the type. */
export type Public<T> = Pick<T, keyof T>

const throwing = (error: () => Error) => (): never => {
  throw error()
}

/** Gives a class its public name. Without `new`, the class throws. @param uncounted methods that only call counted ones */
export const publish = <C extends { readonly prototype: object }>(
  original: C,
  name: string,
  uncounted: readonly PropertyKey[] = [],
  traps: ProxyHandler<C> = { apply: throwing(constructCallRequired) },
): C => {
  countCalls(original.prototype, uncounted)
  const published = new Proxy(original, traps)
  Object.defineProperties(original, { name: { value: name }, length: { value: 0 } })
  Object.defineProperty(original.prototype, "constructor", { value: published, writable: true, configurable: true })
  return published
}

/** Like `publish`, but only this package creates objects, with the original class. The published class throws, as in Node.js. */
export const publishInternal = <A extends object>(
  original: { readonly prototype: A },
  name: string,
  uncounted?: readonly PropertyKey[],
) => {
  const refuse = throwing(illegalConstructor)
  // Safe: the constructor always throws, so its parameters do not matter.
  return publish(original, name, uncounted, { apply: refuse, construct: refuse }) as { readonly prototype: A } & (new () => A)
}

/** Defines getters on the object itself, as Node.js does, instead of on its prototype. */
export const ownGetters = (object: object, prototype: object, names: readonly string[]): void => {
  for (const name of names) {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get
    if (get !== undefined) Object.defineProperty(object, name, { get, enumerable: true })
  }
}
