/** Makes this package's classes look like Node's, which are written in C++. */
import { countCalls } from "./calls.js"
import { illegalConstructor } from "./errors.js"

/** A class's public members. Without the private members, any object of this shape has the type. */
export type Public<T> = Pick<T, keyof T>

/** Gives a class its public name. Without `new`, it throws `refusal()`. @param uncounted methods that only call counted ones */
export const publish = <C extends { readonly prototype: object }>(
  original: C,
  name: string,
  refusal: () => Error,
  uncounted: readonly PropertyKey[] = [],
): C => {
  countCalls(original.prototype, uncounted)
  const published = new Proxy(original, {
    apply: () => {
      throw refusal()
    },
  })
  Object.defineProperty(original, "name", { value: name })
  Object.defineProperty(original.prototype, "constructor", { value: published, writable: true, configurable: true })
  return published
}

/** Defines getters on the object itself, as Node.js does, instead of on its prototype. */
export const ownGetters = (object: object, prototype: object, names: readonly string[]): void => {
  for (const name of names) {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get
    if (get !== undefined) Object.defineProperty(object, name, { get, enumerable: true })
  }
}

/** Lets only this package create objects of a public class: without parts from `build`, the constructor throws, as in Node.js. */
export const construction = <Parts>() => {
  let parts: Parts | undefined
  return {
    parts: (): Parts => {
      if (parts === undefined) throw illegalConstructor()
      return parts
    },
    build: <A>(given: Parts, make: () => A): A => {
      parts = given
      try {
        return make()
      } finally {
        parts = undefined
      }
    },
  }
}
