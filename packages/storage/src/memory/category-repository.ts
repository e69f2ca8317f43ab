import { type Category, type CategoryId, CategoryRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Catalogue } from "./engine/catalogue.js"

export const memoryCategoryRepository = ({ history }: Pick<Catalogue, "history">) => {
  const kept = new Map<CategoryId, string>()

  const isStill = (id: CategoryId, former: Option.Option<Category>): boolean =>
    kept.get(id) === Option.getOrUndefined(former)?.name

  return CategoryRepository.of({
    replace: ({ id, name }, former, by) =>
      Effect.sync(() => {
        if (!isStill(id, former)) return false
        const present = Option.getOrUndefined(former)
        if (present?.name === name) return true
        kept.set(id, name)
        history.add("replaceCategory", by, present && { category: present }, { category: { id, name } })
        return true
      }),

    remove: (former, by) =>
      Effect.sync(() => {
        if (!isStill(former.id, Option.some(former))) return false
        kept.delete(former.id)
        history.add("removeCategory", by, { category: { id: former.id, name: former.name } }, undefined)
        return true
      }),

    find: (id) => Effect.sync(() => Option.map(Option.fromNullable(kept.get(id)), (name) => ({ id, name }))),

    list: ({ after, limit }) =>
      Effect.sync(() =>
        [...kept]
          .filter(([id]) => Option.isNone(after) || id > after.value)
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .slice(0, limit)
          .map(([id, name]) => ({ id, name })),
      ),
  })
}
