// What a request can be looked at for.

import { el, put } from "./dom.js";

/** Fill `select` with the models and profiles of /ui/api/models; `current` is chosen, also where it is none of them. */
export function listTargets(select, known, current) {
  const models = (known?.models ?? []).map((model) => model.name);
  const profiles = known?.profiles ?? [];
  const option = (kind) => (name) => el("option", { value: `${kind}:${name}` }, name);
  put(select,
    el("option", { value: "" }, "The model that the request names"),
    models.length ? el("optgroup", { label: "Configured models" }, models.map(option("model"))) : null,
    profiles.length ? el("optgroup", { label: "Profiles" }, profiles.map(option("profile"))) : null);
  if (![...select.options].some((one) => one.value === current)) select.append(el("option", { value: current }, current.slice(current.indexOf(":") + 1)));
  select.value = current;
}
