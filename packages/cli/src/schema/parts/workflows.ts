import {
  workflows,
  workspaceFiles,
  type NewWorkflow,
  type WorkflowNodeInput,
  type WorkflowResource,
} from '@kontor/contract'
import { collected } from '../workspace.ts'
import { changedOf, type Content, type Item, type Part } from './part.ts'

type GraphInput = Pick<NewWorkflow, 'trigger' | 'blocks' | 'exits' | 'run_limits'>

const pageLimit = 100

/** A node without its key, and without what is empty. */
const nodeOf = ({ plugin_id, filters = [], input = {}, prev = null, next = null }: WorkflowNodeInput): Content => ({
  plugin_id,
  ...(filters.length > 0 && { filters }),
  ...(Object.keys(input).length > 0 && { input }),
  ...(prev !== null && { prev }),
  ...(next !== null && { next }),
})

const nodesOf = (nodes: Readonly<Record<string, WorkflowNodeInput>>): Content =>
  Object.fromEntries(Object.entries(nodes).map(([key, node]) => [key, nodeOf(node)]))

/** The graph of a workflow, or the parts of it that a file has. */
function graphOf({ trigger, blocks, exits, run_limits: limits }: GraphInput): Content {
  const given = limits && Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null))
  return {
    ...(trigger && { trigger: nodeOf(trigger) }),
    ...(blocks && { blocks: nodesOf(blocks) }),
    ...(exits && { exits: nodesOf(exits) }),
    ...(given && { run_limits: given }),
  }
}

function itemOf({ id, attributes }: WorkflowResource): Item {
  const { name, description, enabled, published_at } = attributes
  return { id, name, content: { name, description, enabled, draft: published_at === null, ...graphOf(attributes) } }
}

/** Workflows; whoever applies a change of a graph, or enables one, is the user it runs as. */
export const workflowsPart: Part = {
  name: 'workflows',
  noun: 'workflow',
  shape: workspaceFiles.workflows,
  defaults: {
    description: '',
    enabled: true,
    draft: false,
    trigger: { plugin_id: 'on:manual:execution' },
    blocks: {},
    exits: {},
    run_limits: {},
  },
  normal: (content) => ({ ...content, ...graphOf(content) }),
  title: 'name',
  nameOf: ({ name }) => String(name),
  list: async ({ rest, workspace }) => {
    const asked = { workspace, filter: { type: 'workflow' as const }, page: { limit: pageLimit } }
    return (await collected(rest.all(workflows.list, asked))).map(itemOf)
  },
  // An empty draft, so that workflows that name one another can all be created first.
  create: async ({ rest, workspace }, { name }) => {
    await rest.call(workflows.create, { workspace, body: { name: String(name) } })
  },
  update: async ({ rest, workspace }, { id }, { content, changed }) => {
    const { draft, ...body } = changedOf(content, changed)
    const published = draft === undefined ? {} : { published_at: draft === true ? null : new Date().toISOString() }
    await rest.call(workflows.update, { workspace, id, body: { ...body, ...published } })
  },
  remove: async ({ rest, workspace }, { id }) => {
    await rest.call(workflows.remove, { workspace, id })
  },
}
