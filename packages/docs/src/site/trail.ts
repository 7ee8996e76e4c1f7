import { html } from 'hono/html'
import { guideGroups, guides } from './guides.ts'
import { domains } from './operations.ts'
import type { Html } from './page.ts'

/** The pages above a page, from the root of the site down. */
function pagesAbove(path: string): { readonly title: string; readonly path?: string }[] {
  const [part = '', name = '', inner] = path.split('/')
  const root = { title: 'Kontor', path: 'index' }
  if (part === 'guides' && name !== 'index') {
    const group = guideGroups.find((one) => one.guides.some((guide) => guide.name === name))
    return [root, { title: 'Guides', path: 'guides/index' }, ...(group === undefined ? [] : [{ title: group.title }])]
  }
  if (part === 'reference') {
    const domain = domains.find((one) => one.name === name)
    const group = domain === undefined ? [] : [{ title: domain.group }]
    const above =
      domain === undefined || inner === undefined ? [] : [{ title: domain.title, path: `reference/${name}` }]
    return [root, ...group, ...above]
  }
  if (part === 'errors' && name !== '') return [root, { title: 'Errors', path: 'errors' }]
  if (part === 'blocks' && name !== '') return [root, { title: 'Workflow blocks', path: 'blocks' }]
  return part === 'index' || part === '404' ? [] : [root]
}

/** Breadcrumbs: the way from the root of the site to a page. */
export function trail(path: string, root: string): Html | string {
  const above = pagesAbove(path)
  if (above.length === 0) return ''
  return html`<div class="trail" role="navigation" aria-label="Breadcrumbs">${above.map(
    ({ title, path: to }) =>
      html`<span>${to === undefined ? title : html`<a href="${root}${to}.html">${title}</a>`}</span>`,
  )}</div>`
}

/** Links to the guides before and after a guide, in the order of the navigation. */
export function neighbours(path: string, root: string): Html | string {
  const index = guides.findIndex(({ name }) => path === `guides/${name}`)
  if (index === -1) return ''
  const [before, after] = [guides[index - 1], guides[index + 1]]
  return html`<div class="neighbours" role="navigation" aria-label="Previous and next guide">${
    before === undefined
      ? html`<span></span>`
      : html`<a rel="prev" href="${root}guides/${before.name}.html"><small>Previous</small>${before.title}</a>`
  }${
    after === undefined
      ? ''
      : html`<a rel="next" href="${root}guides/${after.name}.html"><small>Next</small>${after.title}</a>`
  }</div>`
}
