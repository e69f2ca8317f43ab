/** A name in a sentence. It is isolated, so that its direction does not change the sentence around it. */
export const Name = ({ of }: { readonly of: string }) => <bdi class="pet-name">{of}</bdi>
