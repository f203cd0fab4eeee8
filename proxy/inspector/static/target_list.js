// What a request can be looked at for.

import { el, put } from "./dom.js";
import { writeTarget } from "./view_link.js";

/** Fill `select` with the models and profiles of /ui/api/models; `current` is chosen, also where it is none of them. */
export function listTargets(select, known, current) {
  const models = known?.models ?? [];
  const profiles = known?.profiles ?? [];
  const option = (value, name) => el("option", { value }, name);
  const members = ({ name, deployments = [] }) => (deployments.length > 1
    ? deployments.map(({ position, model }) => option(writeTarget({ model: name, position }), `${name} · ${position}: ${model}`))
    : option(writeTarget({ model: name }), name));
  put(select,
    el("option", { value: "" }, "The model that the request names"),
    models.length ? el("optgroup", { label: "Configured models" }, models.map(members)) : null,
    profiles.length ? el("optgroup", { label: "Profiles" }, profiles.map((name) => option(writeTarget({ profile: name }), name))) : null);
  if (![...select.options].some((one) => one.value === current)) select.append(el("option", { value: current }, current.slice(current.indexOf(":") + 1)));
  select.value = current;
}
