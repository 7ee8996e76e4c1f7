import type { WorkspaceFile } from '@kontor/contract'
import type { Connected } from '../../connection.ts'

/** The attributes of something in a file; attributes with their default are omitted. */
export type Content = Readonly<Record<string, unknown>>

/** Something of a workspace that a file can describe. */
export type Item = {
  readonly id: string
  /** Its name among those of its part: what stands for it in files, in every workspace. */
  readonly name: string
  /** Its name in plans, if that is another one: a URL can have a token. */
  readonly shownName?: string
  readonly content: Content
  /** True if it is neither pulled nor pruned: a private list, or a layout or a setting that has its default. */
  readonly isUnmanaged?: boolean
}

/** Options of a creation. */
export type CreateOptions = {
  /** Prints the secrets of what is created: the API returns them only once. */
  readonly showsSecrets: boolean
}

/** A part of a workspace that a folder can describe beside its objects: lists, workflows and others. */
export type Part = {
  /** Name of its folder, or of its file if all its items are in one. */
  readonly name: string
  readonly noun: string
  readonly isOneFile?: true
  /** The content of a file, with everything that may be omitted. */
  readonly shape: WorkspaceFile
  readonly defaults: Content
  /** The content of a file in the form in which the API returns it. */
  readonly normal?: (content: Content) => Content
  /** Attributes that cannot be changed later. */
  readonly fixed?: readonly string[]
  readonly nameOf: (content: Content) => string
  /** The attribute of its name that people change; undefined if names never change. */
  readonly title?: string
  /** Attributes that no plan shows, whether a file names a variable for them or not. */
  readonly secretsOf?: (content: Content) => readonly string[]
  readonly list: (connected: Connected) => Promise<Item[]>
  /** Creates an item; what is not in place afterwards follows by `update`. */
  readonly create: (connected: Connected, content: Content, options: CreateOptions) => Promise<void>
  /** Gives an item a content, of which these attributes differ. */
  readonly update: (
    connected: Connected,
    item: Item,
    change: { readonly content: Content; readonly changed: ReadonlySet<string> },
  ) => Promise<void>
  readonly remove: (connected: Connected, item: Item) => Promise<void>
}

/** The attributes of a content that differ. */
export const changedOf = (content: Content, changed: ReadonlySet<string>): Content =>
  Object.fromEntries(Object.entries(content).filter(([name]) => changed.has(name)))
