import type { Actor } from '../kernel/actor.ts'
import { failure } from '../kernel/errors.ts'
import type { InProcessCall } from '../kernel/invoke/in-process.ts'

/** Names the header by which a request says in which workspace it acts. */
export const workspaceHeader = 'x-svc-workspace'

const advice = 'Send the header X-Svc-Workspace with the slug of the workspace.'

/** Finds the only workspace that a token opens, for clients that can send no header. */
export const workspaceOf = (actor: Actor, call: InProcessCall) => async (): Promise<string> => {
  if (actor.kind !== 'user')
    throw failure('invalid_parameter', `The request names no workspace. ${advice}`, {
      source: { header: 'X-Svc-Workspace' },
    })
  const { data } = await call('workspaces.list', {})
  const only = data.filter(({ id }) => actor.onlyWorkspaceId === undefined || actor.onlyWorkspaceId === id)
  const [first, second] = only
  if (first !== undefined && second === undefined) return first.attributes.slug
  const slugs = only.map(({ attributes }) => attributes.slug).join(', ')
  throw failure('invalid_parameter', `The token is valid for several workspaces or for none. ${advice}`, {
    source: { header: 'X-Svc-Workspace' },
    meta: { allowed: slugs.split(', ').filter(Boolean) },
  })
}
