import { hash } from 'node:crypto'
import { Html } from '../../lib/html.ts'

/** Runs in the browser: a button copies the value beside it. Browsers have a clipboard only for HTTPS and localhost. */
const text = `
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = navigator.clipboard === undefined
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
    button.textContent = 'Copied'
  })
}
`

/** The script of pages that show a value once, and its hash. */
export const copyScript = {
  // As it was hashed: nothing of it may be escaped.
  element: new Html(`<script>${text}</script>`),
  hash: `sha256-${hash('sha256', text, 'base64')}`,
}
