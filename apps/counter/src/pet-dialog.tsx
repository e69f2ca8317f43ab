/** The page of one animal, over the list. It has an address of its own. */
import { CategoryName } from "./category-names.tsx"
import { Dialog } from "./dialog.tsx"
import { Name } from "./name.tsx"
import { useSettled } from "./press.ts"
import { goTo } from "./refresh.ts"
import { Actions, statusOf, Time } from "./row.tsx"
import type { State } from "./state.ts"

export const PetDialog = ({ state }: { readonly state: State }) => {
  const { place, opened, busy, isReadOnly } = state
  const isHere = opened !== undefined && opened.pet.id === place.pet
  const status = opened === undefined ? "" : statusOf(opened)
  const isSettled = useSettled(`${opened?.pet.id} ${status}`)
  return (
    <Dialog
      isOpen={state.session !== undefined && isHere && state.dialog === undefined}
      title="pet-title"
      onClose={() => goTo({ pet: undefined })}
    >
      {opened !== undefined && (
        <>
          <h2 id="pet-title">
            <Name of={opened.pet.name} />, animal {opened.pet.id}
          </h2>
          <dl class="facts">
            <dt>Category</dt>
            <dd>
              <CategoryName id={opened.pet.categoryId} />
            </dd>
            <dt>Status</dt>
            <dd>
              <span class={`status-${status}`}>{status}</span>
            </dd>
            {opened.order !== undefined && (
              <>
                <dt>Reserved</dt>
                <dd>
                  <Time at={opened.order.createdAt} />, order {opened.order.id}
                </dd>
              </>
            )}
          </dl>
          {!isReadOnly && !opened.isRemoved && <Actions row={opened} isWaiting={busy.has(opened.pet.id) || !isSettled} />}
          <div class="choices">
            <button class="secondary" type="button" onClick={() => goTo({ pet: undefined })}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
