import { failure } from '../../kernel/errors.ts'
import { opensApi } from './scopes.ts'
import type { OAuthServices, Workspace } from './services.ts'

/** The name of all workspaces in a form, future ones included. */
export const everyWorkspace = 'all'

/** Which workspaces a person may let an app into. */
export type Choice = {
  readonly workspaces: readonly Workspace[]
  /** True if they may let it into all of them. */
  readonly mayBeAll: boolean
  /** The initial choice: the only one that there is, or the previous one. */
  readonly chosen: string | undefined
}

/**
 * The workspaces that a person may choose. An app of a workspace is only for its members and that workspace: its admins
 * have named it as they liked, and no other person has checked it (docs/decisions/0093).
 */
export async function workspaceChoice(
  { findClient, listWorkspaces, consents }: OAuthServices,
  userId: string,
  clientId: string,
  scopes: readonly string[],
): Promise<Choice> {
  const [client, workspaces, before] = await Promise.all([
    findClient(clientId),
    listWorkspaces(userId),
    consents.find(userId, clientId),
  ])
  const own = client?.workspaceId ?? null
  if (own !== null) {
    const theirs = workspaces.filter(({ id }) => id === own)
    if (theirs.length === 0)
      throw failure('forbidden', 'This app is only for members of its workspace, and you are not a member.')
    return { workspaces: theirs, mayBeAll: false, chosen: own }
  }
  // A person's identity does not depend on a workspace.
  if (!opensApi(scopes) || workspaces.length === 0) return { workspaces: [], mayBeAll: true, chosen: everyWorkspace }
  const [only, ...others] =
    workspaces.length === 1
      ? workspaces.map(({ id }) => id)
      : before.map(({ workspaceId }) => workspaceId ?? everyWorkspace)
  return { workspaces, mayBeAll: true, chosen: others.length === 0 ? only : undefined }
}

/** Returns the choice in a form: a workspace, null for all, or undefined for none that exists. */
export function chosenWorkspace(
  { workspaces, mayBeAll }: Choice,
  given: string | undefined,
): string | null | undefined {
  if (given === everyWorkspace) return mayBeAll ? null : undefined
  return workspaces.find(({ id }) => id === given)?.id
}
