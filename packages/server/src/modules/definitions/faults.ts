/** A fault of a graph: the path is from the attributes of the workflow. */
export type GraphFault = { readonly path: readonly (string | number)[]; readonly detail: string }

export type NodePath = readonly ['trigger'] | readonly ['blocks' | 'exits', string]

/** The name of a node in texts for people. */
export const nameOf = (path: NodePath): string => (path.length === 1 ? 'The trigger' : `The node "${path[1]}"`)
