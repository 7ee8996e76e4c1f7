import { hash } from 'node:crypto'
import { Html } from '../lib/html.ts'

/**
 * Runs in the browser: the button of a form uses or creates a passkey, and then sends the form with the response.
 * Browsers have passkeys only for hosts with a name, not for IP addresses.
 */
const text = `
for (const button of document.querySelectorAll('[data-passkey]')) {
  const form = button.form
  const hasName = !/^[\\d.]+$|:/.test(location.hostname)
  const isSupported = hasName && 'parseRequestOptionsFromJSON' in (window.PublicKeyCredential ?? {})
  for (const part of form.querySelectorAll('[data-supported]')) part.hidden = !isSupported
  for (const part of form.querySelectorAll('[data-unsupported]')) part.hidden = isSupported
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const given = JSON.parse(button.dataset.options)
    button.disabled = true
    try {
      const credential = button.dataset.passkey === 'create'
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given) })
      form.elements.response.value = JSON.stringify(credential)
      form.submit()
    } catch {
      button.disabled = false
      for (const part of form.querySelectorAll('[data-failed]')) part.hidden = false
    }
  })
}
`

/** The only script of the pages, and the hash by which the Content-Security-Policy lets it run. */
export const passkeyScript = {
  // As it was hashed: nothing of it may be escaped.
  element: new Html(`<script>${text}</script>`),
  hash: `sha256-${hash('sha256', text, 'base64')}`,
}
