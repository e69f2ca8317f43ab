import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Actor } from "../changes/actor.js"
import { always, type Condition, compareAndSet, meet } from "../condition.js"
import { CategoryNotFound, type PreconditionFailed, type StorageUnavailable } from "../errors.js"
import { int64FromText, isInt64 } from "../json/int64.js"
import type { InvalidBody, InvalidParameter } from "../json/invalid-input.js"
import {
  checkPageRequest,
  decodePageRequest,
  everyPage,
  type ListRules,
  type Page,
  type PageRequest,
  type PartialRequest,
  readPage,
  streamOf,
  type ValuesOf,
} from "../page.js"
import { useCase } from "../use-case.js"
import type { Category, CategoryId, NewCategory } from "./category.js"
import { checkNewCategory } from "./category-decoder.js"
import { CategoryRepository } from "./category-repository.js"

/** Returns the repository, or fails without a query if the identifier has more than 64 bits. */
const categoriesWith = (
  categoryId: CategoryId,
): Effect.Effect<CategoryRepository["Type"], CategoryNotFound, CategoryRepository> =>
  isInt64(categoryId) ? CategoryRepository : new CategoryNotFound({ categoryId })

/** Parses a category's identifier, a 64-bit integer in plain decimal. Fails with `CategoryNotFound` otherwise. @experimental */
export const decodeCategoryId = (text: string): Either.Either<CategoryId, CategoryNotFound> =>
  Either.fromOption(int64FromText(text), () => new CategoryNotFound({ categoryId: text }))

/**
 * Names a category, whether or not it already has a name. Fails with `PreconditionFailed` if the condition does not hold for the
 * current category, with `InvalidBody` if the name breaks a rule, and with `CategoryNotFound` only if the identifier has more
 * than 64 bits.
 *
 * @returns  the category, and whether it is new
 * @experimental
 */
export const replaceCategory = (
  id: CategoryId,
  category: NewCategory,
  condition: Condition<Category> = always,
  by?: Actor,
): Effect.Effect<
  { readonly value: Category; readonly isNew: boolean },
  CategoryNotFound | InvalidBody | PreconditionFailed | StorageUnavailable,
  CategoryRepository
> =>
  useCase(
    "replaceCategory",
    Effect.flatMap(Effect.zip(categoriesWith(id), checkNewCategory(category)), ([categories, { name }]) =>
      compareAndSet(categories.find(id), (present) => {
        const value = { id, name }
        return Effect.map(Effect.zipRight(meet(condition, present), categories.replace(value, present, by)), (isKept) =>
          isKept ? Option.some({ value, isNew: Option.isNone(present) }) : Option.none(),
        )
      }),
    ),
  )

/** Removes a name; pets keep their `categoryId`. Fails with `CategoryNotFound` or `PreconditionFailed`. @experimental */
export const removeCategory = (
  categoryId: CategoryId,
  condition: Condition<Category> = always,
  by?: Actor,
): Effect.Effect<Category, CategoryNotFound | PreconditionFailed | StorageUnavailable, CategoryRepository> =>
  useCase(
    "removeCategory",
    Effect.flatMap(categoriesWith(categoryId), (categories) =>
      compareAndSet(getCategory(categoryId), (present) =>
        Effect.map(Effect.zipRight(meet(condition, Option.some(present)), categories.remove(present, by)), (isGone) =>
          isGone ? Option.some(present) : Option.none(),
        ),
      ),
    ),
  )

/** Gets one category. Fails with `CategoryNotFound` if no category has this identifier. @experimental */
export const getCategory = (
  categoryId: CategoryId,
): Effect.Effect<Category, CategoryNotFound | StorageUnavailable, CategoryRepository> =>
  useCase(
    "getCategory",
    Effect.flatMap(categoriesWith(categoryId), (categories) => categories.find(categoryId)).pipe(
      Effect.flatMap(Option.match({ onNone: () => new CategoryNotFound({ categoryId }), onSome: Effect.succeed })),
    ),
  )

/** Which page of categories to list, without filters. In {@link listCategories}, every member is optional. @experimental */
export interface CategoryPageRequest extends PageRequest<never> {}

const rules: ListRules<never, object> = {
  list: "categories",
  statuses: [],
  decode: () => Either.right({}),
  filters: () => [],
}

const decode = /* @__PURE__ */ decodePageRequest(rules)

/** Decodes the query parameters `limit` and `cursor`, as `decodePetPageRequest` does. @experimental */
export const decodeCategoryPageRequest = (valuesOf: ValuesOf): Either.Either<CategoryPageRequest, InvalidParameter> =>
  decode((parameter) => (parameter === "status" ? [] : valuesOf(parameter)))

/**
 * Lists one page of categories by ascending identifier. A category that is removed and named again during paging may or may not
 * appear. Fails with `InvalidParameter` for an invalid request.
 *
 * @experimental
 */
export const listCategories = (
  given?: PartialRequest<CategoryPageRequest>,
): Effect.Effect<Page<Category, CategoryPageRequest>, InvalidParameter | StorageUnavailable, CategoryRepository> =>
  useCase(
    "listCategories",
    Effect.flatMap(Effect.zip(checkPageRequest(rules, given), CategoryRepository), ([request, categories]) =>
      readPage(rules, request, [], categories),
    ),
  )

/** Streams every category by ascending identifier, page by page. @experimental */
export const streamCategories: Stream.Stream<Category, StorageUnavailable, CategoryRepository> = /* @__PURE__ */ streamOf(
  // Only a bug can make this request invalid, because it has no filters.
  (request: PartialRequest<CategoryPageRequest>) => Effect.catchTag(listCategories(request), "InvalidParameter", Effect.die),
  everyPage,
)
