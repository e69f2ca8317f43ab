import { type ComponentChildren, h } from "preact"

/** A name in a sentence. It is isolated, so that its direction does not change the sentence around it. */
export const named = (name: string) => h("bdi", { class: "pet-name" }, name)

/** Makes a sentence of texts and names: sentence`Sold ${named("Rex")}.` */
export const sentence = (texts: TemplateStringsArray, ...values: ReadonlyArray<ComponentChildren>): ComponentChildren =>
  texts.flatMap((text, place) => [text, values[place]])

export const animals = (count: number): string => `${count} ${count === 1 ? "animal" : "animals"}`
