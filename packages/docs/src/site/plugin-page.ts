import { changeOperators, operators } from '@kontor/contract'
import { html } from 'hono/html'
import type { Field } from './fields.ts'
import { fieldList, fieldsInMarkdown } from './field-list.ts'
import { fromMarkdown, lineFromMarkdown } from './markdown.ts'
import { anchorOf, heading, type Html, type Page } from './page.ts'
import { plugins, type Plugin } from './plugins.ts'

const kinds = [
  { title: 'Triggers', kind: 'trigger', text: 'A trigger starts a workflow.' },
  {
    title: 'Exits',
    kind: 'exit',
    text: 'An exit ends a run in progress. It has the input and output of the trigger of the same name.',
  },
  { title: 'Actions', kind: 'action', text: 'An action is the effect of a block.' },
] as const

/** The text above the lists of blocks. */
export const blocksIntroduction =
  'The values of `plugin_id` in a node of a [workflow](/docs/guides/workflows). Each page describes the `input`, and ' +
  'the output that later nodes can read: `{{trigger.state.…}}` of a trigger, `{{KEY.state.output.…}}` of a block. ' +
  '`GET /v1/workspaces/{workspace}/workflow-plugins` returns the same as JSON Schema.'

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** The comparison of values in nodes. */
export const conditions = `A filter of a node compares a value of the trigger or of an earlier block:
\`{"field": "state.event.object.data.stage", "condition": {"operator": "Is", "value": "Won"}}\`. All filters of a node
must be true.

In the branches of [Branch](/docs/blocks/general-branch), a filter is a [filter tree](/docs/guides/filter-tree) instead:
\`{"field": "state.event.object.data.stage", "op": "Is", "value": "Won"}\`, also within \`and\`, \`or\` and \`not\`.

A \`field\` that begins with \`state.\` is a value of the trigger. For the output of a block, begin with the key of the
block: \`find.state.output.total\`.

The operators are those of [filters](/docs/guides/find-records#details): ${codes(Object.keys(operators))}.

For changes of the record that started the run there are also ${codes(changeOperators)}.`

const pathOf = ({ id }: Plugin): string => `blocks/${anchorOf(id)}`

const usesOf = ({ kinds: its, types }: Plugin): string =>
  `Type of workflow: ${codes(types)}. Used as: ${its.join(', ')}.`

const fieldsUnder = (title: string, fields: readonly Field[], root: string): Html | string =>
  fields.length === 0 ? '' : html`${heading(2, title)}${fieldList(fields, root)}`

const inMarkdown = (title: string, fields: readonly Field[]): string[] =>
  fields.length === 0 ? [] : [`## ${title}`, fieldsInMarkdown(fields)]

/** A node as it stands in a graph. */
function nodesOf({ id, example }: Plugin): string[] {
  if (example === undefined) return []
  const node = { plugin_id: id, ...(Object.keys(example).length > 0 && { input: example }) }
  return [`\`\`\`json\n${JSON.stringify(node, null, 2)}\n\`\`\``]
}

const pageOf = (plugin: Plugin): Page => ({
  path: pathOf(plugin),
  title: `${plugin.title} (${plugin.id})`,
  summary: plugin.description,
  body: (root) => html`<h1>${plugin.title}</h1>
<p><code>${plugin.id}</code></p>
<p>${lineFromMarkdown(plugin.description, root)}</p><p>${lineFromMarkdown(usesOf(plugin), root)}</p>
${nodesOf(plugin).map((node) => fromMarkdown(node, root))}
${fieldsUnder('Input', plugin.input, root)}${fieldsUnder('Output', plugin.output, root)}`,
  markdown: [
    `# ${plugin.title}`,
    `\`${plugin.id}\``,
    plugin.description,
    usesOf(plugin),
    ...nodesOf(plugin),
    ...inMarkdown('Input', plugin.input),
    ...inMarkdown('Output', plugin.output),
  ].join('\n\n'),
})

const ofKind = (kind: string): Plugin[] => plugins.filter((plugin) => plugin.kinds.includes(kind))

const linkTo = (
  plugin: Plugin,
  root: string,
): Html => html`<li><a href="${root}${pathOf(plugin)}.html">${plugin.title}</a>
<code>${plugin.id}</code></li>`

const overview: Page = {
  path: 'blocks',
  title: 'Workflow blocks',
  summary: 'Every trigger, exit, action and condition of workflows, with its input and its output.',
  body: (root) => html`<h1>Workflow blocks</h1>${fromMarkdown(blocksIntroduction, root)}
${kinds.map(
  ({ title, kind, text }) =>
    html`${heading(2, title)}<p>${text}</p><ul>${ofKind(kind).map((plugin) => linkTo(plugin, root))}</ul>`,
)}
${heading(2, 'Conditions')}${fromMarkdown(conditions, root)}`,
  markdown: [
    '# Workflow blocks',
    blocksIntroduction,
    ...kinds.map(({ title, kind, text }) => {
      const lines = ofKind(kind).map((plugin) => `- [${plugin.title}](${pathOf(plugin)}.md): \`${plugin.id}\``)
      return `## ${title}\n\n${text}\n\n${lines.join('\n')}`
    }),
    `## Conditions\n\n${conditions}`,
  ].join('\n\n'),
}

/** Every trigger, exit and block, with what it takes and what it leaves to those behind it. */
export const pluginPages: readonly Page[] = [overview, ...plugins.map(pageOf)]
