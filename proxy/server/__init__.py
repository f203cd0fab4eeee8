"""The life of the process: build the application, listen, warm up, reload, drain.

app               the application, assembled from settings
event_loop        the event loop: uvloop, where it is installed
connections       limits on client connections that send nothing
fast_router       a dictionary of the API's paths, in place of aiohttp's search
warm_up_budgets   tables that are loaded before the process is ready
first_series      metric series that exist before the first request
store_run         the store outside the process, while the process serves
serve             start, ready, drain, exit
reload            a changed configuration, applied while requests go on
process_end       an exit that waits for no thread
"""
