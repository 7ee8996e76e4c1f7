import type { OAuthServices } from './services.ts'

type Bound = { readonly workspaceId?: string | null | undefined }

/**
 * Those of the things that a person has given apps for one workspace whose workspace they have not left; what is for
 * all stays.
 */
export async function inWorkspacesOf<T extends Bound>(
  { listWorkspaces }: Pick<OAuthServices, 'listWorkspaces'>,
  userId: string,
  given: readonly T[],
): Promise<T[]> {
  const bound = given.some(({ workspaceId }) => typeof workspaceId === 'string')
  const joined = new Set(bound ? (await listWorkspaces(userId)).map(({ id }) => id) : [])
  return given.filter(({ workspaceId }) => typeof workspaceId !== 'string' || joined.has(workspaceId))
}
