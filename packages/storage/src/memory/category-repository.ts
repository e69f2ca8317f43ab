import { type Category, type CategoryId, CategoryRepository } from "@petstore/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export const memoryCategoryRepository = () => {
  const kept = new Map<CategoryId, string>()

  const isStill = (id: CategoryId, former: Option.Option<Category>): boolean =>
    kept.get(id) === Option.getOrUndefined(former)?.name

  return CategoryRepository.of({
    replace: ({ id, name }, former) =>
      Effect.sync(() => {
        const replaces = isStill(id, former)
        if (replaces) kept.set(id, name)
        return replaces
      }),

    remove: (former) => Effect.sync(() => isStill(former.id, Option.some(former)) && kept.delete(former.id)),

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
