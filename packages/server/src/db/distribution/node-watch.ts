/** A node of a distributed database, by the number of its group, and the workspaces whose rows it has. */
export type WorkspaceNode = { readonly group: number; readonly ids: readonly string[] }

/** The time between two probes of a node that does not answer, which are one statement each. */
const restMs = 2000

/** Reading where workspaces are computes a hash for each of them, and they move seldom. */
const listedMs = 5000

/**
 * Remembers which nodes of a distributed database did not answer, so that work across workspaces leaves them out and
 * waits for none of them. While there are some, each is probed every two seconds, beside the work that notices it.
 */
export class NodeWatch {
  readonly #nowMs: () => number
  /** By group, the time from which on it may be probed again: never while a probe is under way. */
  readonly #lost = new Map<number, number>()
  #listed: { readonly nodes: Promise<readonly WorkspaceNode[]>; readonly untilMs: number } | undefined
  /** By workspace, the group of its node, as it was last listed. */
  #groups: ReadonlyMap<string, number> = new Map()

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** True until all nodes have answered: statements that go to all of them fail as a whole. */
  get isAnyLost(): boolean {
    return this.lost > 0
  }

  /** Number of nodes that did not answer. */
  get lost(): number {
    return this.#lost.size
  }

  /** Remembers that a node did not answer. */
  lose({ group }: Pick<WorkspaceNode, 'group'>): void {
    this.#lost.set(group, this.#nowMs() + restMs)
  }

  /** Remembers that the node of a workspace did not answer. */
  async loseNodeOf(workspaceId: string, read: () => Promise<readonly WorkspaceNode[]>): Promise<void> {
    await this.#list(read)
    const group = this.#groups.get(workspaceId)
    if (group !== undefined) this.lose({ group })
  }

  /** Returns whether the node of a workspace did not answer. */
  hasLost(workspaceId: string): boolean {
    const group = this.#groups.get(workspaceId)
    return group !== undefined && this.#lost.has(group)
  }

  /** Returns the nodes that are not known to be lost, and probes those that were not asked for a while. */
  async present(
    read: () => Promise<readonly WorkspaceNode[]>,
    probe: (node: WorkspaceNode) => Promise<boolean>,
  ): Promise<WorkspaceNode[]> {
    const nodes = await this.#list(read)
    const groups = new Set(nodes.map(({ group }) => group))
    for (const group of this.#lost.keys()) if (!groups.has(group)) this.#lost.delete(group)
    for (const node of nodes)
      if ((this.#lost.get(node.group) ?? Infinity) <= this.#nowMs()) void this.#probe(node, probe)
    return nodes.filter(({ group }) => !this.#lost.has(group))
  }

  async #list(read: () => Promise<readonly WorkspaceNode[]>): Promise<readonly WorkspaceNode[]> {
    if (this.#listed === undefined || this.#listed.untilMs <= this.#nowMs())
      this.#listed = { nodes: this.#read(read), untilMs: this.#nowMs() + listedMs }
    return this.#listed.nodes
  }

  async #read(read: () => Promise<readonly WorkspaceNode[]>): Promise<readonly WorkspaceNode[]> {
    try {
      const nodes = await read()
      this.#groups = new Map(nodes.flatMap(({ group, ids }) => ids.map((id) => [id, group] as const)))
      return nodes
    } catch (error) {
      this.#listed = undefined
      throw error
    }
  }

  async #probe(node: WorkspaceNode, probe: (node: WorkspaceNode) => Promise<boolean>): Promise<void> {
    this.#lost.set(node.group, Infinity)
    if (await probe(node).catch(() => false)) this.#lost.delete(node.group)
    else this.lose(node)
  }
}
