import { doerOf, type Actor, type Membership } from '../../kernel/actor.ts'

type Written = { readonly created_by: string }

/** Spec §4: only the author, whatever the role of others. */
export const mayEdit = (actor: Actor, comment: Written): boolean => comment.created_by === doerOf(actor).id

/** Spec §4: the author or an admin; beside them the owner of the agent or workflow that wrote it. */
export const mayDelete = (actor: Actor, { role }: Membership, comment: Written): boolean =>
  role === 'admin' || mayEdit(actor, comment)
