/** What makes our classes look like those of Node.js, which are written in C++. */
import { countCalls } from "./calls.js"
import { illegalConstructor } from "./errors.js"

/** What a program sees of an object of a class: no private members, so that any object of this shape is of this type. */
export type Public<T> = Pick<T, keyof T>

/**
 * A class under its public name, which refuses to be called without `new`
 * with the error Node.js gives; a plain class would throw its own.
 *
 * @param uncounted methods that only lead to others, which are counted as calls
 */
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

/** Makes getters of the prototype properties of the object itself, where Node.js's objects have them. */
export const ownGetters = (object: object, prototype: object, names: readonly string[]): void => {
  for (const name of names) {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get
    if (get !== undefined) Object.defineProperty(object, name, { get, enumerable: true })
  }
}

/** Lets us alone make objects of a class whose constructor programs can name: without its parts it refuses, as Node.js does. */
export const construction = <Parts>() => {
  let parts: Parts | undefined
  return {
    /** For the constructor. */
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
