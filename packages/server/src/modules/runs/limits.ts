/** How many workflows may trigger one another in a chain, where a workflow says nothing else. */
export const maxDepthByDefault = 5
