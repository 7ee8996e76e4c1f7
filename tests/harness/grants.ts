import type { Answer } from './http.ts'
import type { Caller } from './people.ts'

export type Level = 'view' | 'comment' | 'edit' | 'manage'

/** A grant as a body has it: for a user by id, or for `workspace`. */
export const grantOf = (grantee: string, level: Level) => ({
  type: 'object-record-access',
  attributes:
    grantee === 'workspace'
      ? { grantee_type: 'workspace', access_level: level }
      : { grantee_type: 'user', grantee_id: grantee, access_level: level },
})

type Post = (path: string, options: { readonly as: Caller; readonly body: unknown }) => Promise<Answer>

/** Shares something in acme; the id of the grant. */
export async function share(
  post: Post,
  target: string,
  grantee: string,
  level: Level,
  as: Caller = 'admin',
): Promise<string> {
  const { status, body } = await post(`/workspaces/acme/objects/${target}/access`, {
    as,
    body: { data: grantOf(grantee, level) },
  })
  if (status !== 201 && status !== 200) throw new Error(`not shared: ${JSON.stringify(body)}`)
  return body.data.id
}
