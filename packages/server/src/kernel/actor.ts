import type { Role } from '@kontor/contract'
import { hashSecret } from './ids.ts'
import { z } from 'zod'

/** The caller, as the credential identifies it, before the workspace is looked up. */
export type Actor = Credential & {
  /** The id of the agent that acts for the person or key. It may do what it holds a scope for, and nothing else. */
  readonly agent?: string
  readonly cause?: Cause
  /** The workflow that it is the doing of, where no run of it acts at the moment. */
  readonly workflow?: string
  /** The chain of workflows that a call over HTTP goes on with. */
  readonly chain?: Chain
  /** The import whose rows it writes. */
  readonly importId?: string
}

type Credential =
  | {
      readonly kind: 'user'
      readonly userId: string
      readonly scopes: readonly string[]
      /** The id of the app that acts for the person. It may do what it holds a scope for, and nothing else. */
      readonly app?: string
      /** The one workspace that the person let the app into; without it, all of theirs. */
      readonly onlyWorkspaceId?: string
    }
  | {
      readonly kind: 'personal-key'
      readonly userId: string
      readonly keyId: string
      readonly workspaceId: string
      readonly scopes: readonly string[]
    }
  | {
      readonly kind: 'workspace-key'
      readonly keyId: string
      readonly workspaceId: string
      readonly scopes: readonly string[]
    }

/** The run of a workflow that acts for a person or a key, and how many workflows have triggered one another so far. */
export type Cause = { readonly workflowId: string; readonly runId: string; readonly depth: number }

/** The workflow before in a chain, by a digest of its id, and how many have triggered one another so far. */
export type Chain = { readonly sender: string; readonly depth: number }

/**
 * The workspace of a call and the caller's role in it. A workspace key has the rights of a member without own records.
 */
export type Membership = {
  readonly workspaceId: string
  readonly slug: string
  readonly role: Role
  /** Changes whenever a schema of the workspace changes. */
  readonly schemaEpoch: number
}

/** The person or the key whose rights count. */
export const holderId = (actor: Actor): string => (actor.kind === 'workspace-key' ? actor.keyId : actor.userId)

/** The agent that acts for a person or a key. */
export const agentOf = (actor: Actor): string | undefined => actor.agent

/** The id that is written to `_created_by` of what is made. */
export const actorId = (actor: Actor): string => agentOf(actor) ?? holderId(actor)

/** Names the credential of a caller in limits: a key, or a person with the app or agent that acts for them. */
export const credentialOf = (actor: Actor): string =>
  actor.kind === 'user' ? [actor.userId, actor.app, actor.agent].filter(Boolean).join('/') : actor.keyId

/** Kind of an actor, as it is stored with events. */
type DoerKind = Actor['kind'] | 'agent' | 'workflow'

/**
 * The actor of a change: an agent or a run of a workflow, with the person it acts for, or a person or a key.
 */
export type Doer = {
  readonly id: string
  readonly kind: DoerKind
  readonly on_behalf_of?: { readonly id: string; readonly kind: Actor['kind'] }
}

export function doerOf(actor: Actor): Doer {
  const holder = { id: holderId(actor), kind: actor.kind }
  const agent = agentOf(actor)
  if (agent !== undefined) return { id: agent, kind: 'agent', on_behalf_of: holder }
  const workflow = causeOf(actor)?.workflowId ?? actor.workflow
  return workflow === undefined ? holder : { id: workflow, kind: 'workflow', on_behalf_of: holder }
}

const entities: Readonly<Record<DoerKind, string>> = {
  user: 'user',
  'personal-key': 'user',
  'workspace-key': 'api-key',
  agent: 'agent',
  workflow: 'workflow',
}

const named = ({ id, kind }: Pick<Doer, 'id' | 'kind'>) => ({ _id: id, entity: entities[kind] })

/** Presents the actor of a change. */
export const presentDoer = ({ on_behalf_of: holder, ...doer }: Doer) => ({
  ...named(doer),
  ...(holder !== undefined && { on_behalf_of: named(holder) }),
})

/** The same, as it is stored where it is shown. */
export type NamedDoer = ReturnType<typeof presentDoer>

/** The user whose ownership and grants apply; a workspace key owns nothing. */
export const actorUserId = (actor: Actor): string | null => (actor.kind === 'workspace-key' ? null : actor.userId)

/** The run on whose behalf the caller acts. */
export const causeOf = (actor: Actor): Cause | undefined => actor.cause

/** A workflow as chains name it: its id may be its address, and so is for no receiver of a request to know. */
export const senderOf = (workflowId: string): string => hashSecret(workflowId)

/** The chain of workflows in which somebody acts: in a run, or in a call that a run has sent over HTTP. */
export const chainOf = ({ cause, chain }: Pick<Actor, 'cause' | 'chain'>): Chain | undefined =>
  cause === undefined ? chain : { sender: senderOf(cause.workflowId), depth: cause.depth }

/** The chain of those that has gone on further; undefined if there is none. */
export const furtherChain = (one: Chain | undefined, other: Chain | undefined): Chain | undefined =>
  one === undefined || (other !== undefined && other.depth > one.depth) ? other : one

/** The same actor without what it acts for at the moment: to act again later, for another reason. */
export const withoutCause = ({ cause: _cause, chain: _chain, ...actor }: Actor): Actor => actor

/** The id of the workflow, key or third-party app that acts for the caller; null for a person's own token. */
export const sourceId = (actor: Actor): string | null =>
  causeOf(actor)?.workflowId ?? (actor.kind === 'user' ? (actor.app ?? null) : actor.keyId)

/**
 * The same person or key without the limits of its credential, and without what it acts for at the moment: for work
 * that follows from a call that already passed them.
 */
export function unnarrowed(actor: Actor): Actor {
  if (actor.kind === 'user') return { kind: 'user', userId: actor.userId, scopes: [] }
  const { keyId, workspaceId } = actor
  if (actor.kind === 'personal-key')
    return { kind: 'personal-key', userId: actor.userId, keyId, workspaceId, scopes: [] }
  return { kind: 'workspace-key', keyId, workspaceId, scopes: [] }
}

/** Returns whether a caller may enter a workspace, whatever role they have in it. */
export const mayEnter = (actor: Actor, workspaceId: string): boolean => {
  const only = actor.kind === 'user' ? actor.onlyWorkspaceId : actor.workspaceId
  return only === undefined || only === workspaceId
}

/** Returns whether a third-party app acts for a person. */
export const isApp = (actor: Actor): boolean => actor.kind === 'user' && actor.app !== undefined

/** Returns whether an app or an agent acts for the caller: without a scope it may do nothing. */
export const isDelegate = (actor: Actor): boolean => isApp(actor) || agentOf(actor) !== undefined

/** Lifetime of every access token, whether made for the command line or issued to an app. */
export const accessTokenSeconds = 3600

/** The chain of workflows that a job continues, in its payload: what a job does later still follows from a run. */
export const chainShape = z.object({ sender: z.string(), depth: z.int() })
