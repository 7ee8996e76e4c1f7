import { html, Html, type Content } from '../../../lib/html.ts'
import { isList, isString, memberOf } from '../../../lib/guards.ts'

/** Deeper blocks than fields of records take are left out. */
const depthMax = 20

/** Rich text as it is written: whatever may be missing, and of kinds that may be unknown. */
type Blocks = readonly unknown[]

/** Colours and the like go into an attribute: a name or a hex number, nothing that ends it. */
const colourShape = /^(#[\da-f]{3,8}|[a-z]{1,30})$/i

const linkShape = /^(https?:\/\/|mailto:|tel:)/i

/** Returns the text of a run: a lone variable may have become a number, or nothing. */
const wordsOf = (value: unknown): string =>
  isString(value) ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

const runsOf = (value: unknown): Blocks => {
  const content = memberOf(value, 'content')
  return isList(content) ? content : []
}

const childrenOf = (block: unknown): Blocks => {
  const children = memberOf(block, 'children')
  return isList(children) ? children : []
}

const styleTags = { bold: 'strong', italic: 'em', underline: 'u', strike: 's', code: 'code' } as const

function styled(content: Content, styles: unknown): Content {
  let inner = content
  for (const [style, tag] of Object.entries(styleTags))
    if (memberOf(styles, style) === true) inner = html`${new Html(`<${tag}>`)}${inner}${new Html(`</${tag}>`)}`
  const [colour, background] = ['textColor', 'backgroundColor'].map((name) => memberOf(styles, name))
  const css = [
    isString(colour) && colourShape.test(colour) && `color:${colour}`,
    isString(background) && colourShape.test(background) && `background-color:${background}`,
  ].filter(isString)
  return css.length === 0 ? inner : html`<span style="${css.join(';')}">${inner}</span>`
}

const lines = (text: string): Content => text.split('\n').map((line, index) => (index === 0 ? line : html`<br>${line}`))

function runHtml(run: unknown, depth: number): Content {
  if (depth > depthMax) return false
  const type = memberOf(run, 'type')
  if (type === 'link') {
    const [href, inside] = [memberOf(run, 'href'), runsOf(run).map((one) => runHtml(one, depth + 1))]
    if (!isString(href) || !linkShape.test(href)) return inside
    return html`<a href="${href}">${inside.length === 0 ? href : inside}</a>`
  }
  return styled(lines(wordsOf(memberOf(run, 'text') ?? memberOf(run, 'label'))), memberOf(run, 'styles'))
}

function runText(run: unknown, depth: number): string {
  if (depth > depthMax) return ''
  if (memberOf(run, 'type') !== 'link') return wordsOf(memberOf(run, 'text') ?? memberOf(run, 'label'))
  const [href, inside] = [
    wordsOf(memberOf(run, 'href')),
    runsOf(run)
      .map((one) => runText(one, depth + 1))
      .join(''),
  ]
  return inside === '' || inside === href ? href : `${inside} (${href})`
}

const lists: Readonly<Record<string, string>> = { bulletListItem: 'ul', checkListItem: 'ul', numberedListItem: 'ol' }

const isChecked = (block: unknown): boolean => memberOf(memberOf(block, 'props'), 'checked') === true

/** The block itself, as markup around what it says. */
function blockHtml(block: unknown, depth: number): Content {
  const type = memberOf(block, 'type')
  const content = runsOf(block).map((run) => runHtml(run, depth))
  const children = blocksHtml(childrenOf(block), depth + 1)
  if (isString(type) && Object.hasOwn(lists, type)) {
    const mark = type === 'checkListItem' && (isChecked(block) ? '☑ ' : '☐ ')
    return html`<li>${mark}${content}${children}</li>`
  }
  if (type === 'heading') {
    const level = Number(memberOf(memberOf(block, 'props'), 'level'))
    const tag = `h${Number.isInteger(level) && level >= 1 && level <= 6 ? level : 1}`
    return html`${new Html(`<${tag}>`)}${content}${new Html(`</${tag}>`)}${children}`
  }
  if (type === 'quote') return html`<blockquote>${content}${children}</blockquote>`
  if (type === 'codeBlock') return html`<pre><code>${content}</code></pre>${children}`
  return html`<p>${content}</p>${children}`
}

/** Rich text as HTML. Items of a list that follow each other are one list. */
export function blocksHtml(blocks: Blocks, depth = 0): Content {
  if (depth > depthMax) return false
  const parts: Content[] = []
  let open: string | undefined
  for (const block of blocks) {
    const type = memberOf(block, 'type')
    const list = isString(type) && Object.hasOwn(lists, type) ? lists[type] : undefined
    if (open !== undefined && open !== list) parts.push(new Html(`</${open}>`))
    if (list !== undefined && open !== list) parts.push(new Html(`<${list}>`))
    open = list
    parts.push(blockHtml(block, depth))
  }
  if (open !== undefined) parts.push(new Html(`</${open}>`))
  return parts
}

const underlines: Readonly<Record<number, string>> = { 1: '=', 2: '-' }

function headingText(text: string, block: unknown): string {
  const underline = underlines[Number(memberOf(memberOf(block, 'props'), 'level') ?? 1)]
  return underline === undefined ? text : `${text}\n${underline.repeat(Math.min(text.length, 72))}`
}

const prefixed = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`)
    .join('\n')

function blockText(block: unknown, number: number, depth: number): string {
  const type = memberOf(block, 'type')
  const text = runsOf(block)
    .map((run) => runText(run, depth))
    .join('')
  const children = blocksText(childrenOf(block), depth + 1)
  const inside = children === '' ? '' : `\n${prefixed(children, '   ', '   ')}`
  if (type === 'heading') return `${headingText(text, block)}${children === '' ? '' : `\n\n${children}`}`
  if (type === 'bulletListItem') return `${prefixed(text, ' - ', '   ')}${inside}`
  if (type === 'numberedListItem') return `${prefixed(text, `${String(number).padStart(2)}. `, '    ')}${inside}`
  if (type === 'checkListItem') return `${prefixed(text, isChecked(block) ? '[x] ' : '[ ] ', '    ')}${inside}`
  if (type === 'quote') return `${prefixed(text, '> ', '> ')}${children === '' ? '' : `\n${children}`}`
  return `${text}${children === '' ? '' : `\n\n${children}`}`
}

/** The same as plain text. */
export function blocksText(blocks: Blocks, depth = 0): string {
  if (depth > depthMax) return ''
  let text = ''
  let before: unknown
  let number = 0
  for (const block of blocks) {
    const type = memberOf(block, 'type')
    number = type === 'numberedListItem' ? number + 1 : 0
    const isSameList = type === before && isString(type) && Object.hasOwn(lists, type)
    text += `${text === '' ? '' : isSameList ? '\n' : '\n\n'}${blockText(block, number, depth)}`
    before = type
  }
  return text
}
